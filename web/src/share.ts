// A scenario in a link, and answers as files.

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const out = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as unknown as ReadableWritablePair);
  return new Uint8Array(await new Response(out).arrayBuffer());
}

/** The address of this page with the scenario behind "#s=": it is not sent to a server. */
export async function linkOf(text: string): Promise<string> {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  const word = btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `${location.origin}/#s=${word}`;
}

const kLongest = 200_000; // of a link, which unpacks to 1 MB at most

/** The scenario of this page's address, or null; the address bar then forgets it. */
export async function takeLinked(): Promise<string | null> {
  const word = new URLSearchParams(location.hash.slice(1)).get("s");
  if (!word) return null;
  history.replaceState(null, "", location.pathname);
  if (word.length > kLongest) return null;
  try {
    const binary = atob(word.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const text = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    return text.length <= 1_000_000 ? text : null;
  } catch {
    return null;
  }
}

export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
