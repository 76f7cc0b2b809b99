// Every setting of a scenario, as the program's own tables have it.

export interface Setting {
  key: string;
  type: string;
  default: string;
  allowed: string;
  sentence: string;
  source: string;
}

interface SchemaField {
  anyOf?: { enum?: string[] }[]; // a value, or what is left to a search
}

export interface SettingsDocument {
  settings: Setting[];
  schema: {
    properties: Record<string, { type?: string; description?: string; items?: { description?: string; properties?: Record<string, SchemaField> }; properties?: Record<string, SchemaField> }>;
  };
  names: Record<string, string[]>;
}

export class Settings {
  private readonly byKey = new Map<string, Setting>();

  constructor(private readonly doc: SettingsDocument) {
    for (const setting of doc.settings) this.byKey.set(setting.key, setting);
  }

  find(key: string): Setting | undefined {
    return this.byKey.get(key);
  }

  sections(): string[] {
    return [...new Set(this.doc.settings.map((s) => s.key.slice(0, s.key.lastIndexOf("."))))];
  }

  of(section: string): Setting[] {
    return this.doc.settings.filter((s) => s.key.slice(0, s.key.lastIndexOf(".")) === section);
  }

  sentenceOf(section: string): string {
    const schema = this.doc.schema.properties[section];
    return schema?.items?.description ?? schema?.description ?? "";
  }

  isRepeated(section: string): boolean {
    return this.doc.schema.properties[section]?.type === "array";
  }

  /** Names that may stand there and no others; empty where anything may. */
  choices(key: string): string[] {
    const dot = key.lastIndexOf(".");
    const section = this.doc.schema.properties[key.slice(0, dot)];
    const field = (section?.items ?? section)?.properties?.[key.slice(dot + 1)];
    return field?.anyOf?.[0].enum ?? [];
  }

  /** Names of the catalog; a scenario may add its own. */
  names(key: string): string[] {
    return this.doc.names[key] ?? [];
  }
}
