// What every page knows of the scenario that is edited.

export interface Scene {
  name: string;
  text: string;
  threads: number;
  question: () => { name: string; text: string };
  change: (text: string) => void;
  goTo: (line: number, column: number) => void;
  say: (words: string) => void; // for everybody to see and hear
}
