// Numbers in words, as the program writes them: engineering units, four digits.

const kPrefixes = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];
const kSmall = ["", "m", "u", "n", "p"];

// Made once: making one takes longer than a hundred numbers.
const kDigits = [0, 1, 2, 3].map((most) => new Intl.NumberFormat("en-US", { maximumFractionDigits: most }));

function digits(value: number): string {
  const size = Math.abs(value);
  return kDigits[size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3].format(value);
}

/** "16,384": with up to three digits behind the point. */
export const grouped = (value: number): string => kDigits[3].format(value);

/** "132.8 ms" */
export function withUnit(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "unknown";
  if (value === 0) return unit === "USD" ? "$0" : unit ? `0 ${unit}` : "0";
  if (unit === "s" && Math.abs(value) >= 120) return longTime(value);
  const sign = value < 0 ? "-" : "";
  let rest = Math.abs(value);
  let power = 0;
  while (rest >= 999.95 && power < kPrefixes.length - 1) {
    rest /= 1000;
    ++power;
  }
  if (unit === "USD") return `${sign}$${digits(rest)}${["", "k", "M", "B", "T"][power] ?? "e" + power * 3}`;
  let prefix = kPrefixes[power];
  if (rest < 1 && unit) {
    let small = 0;
    while (rest < 0.9995 && small < kSmall.length - 1) {
      rest *= 1000;
      ++small;
    }
    prefix = kSmall[small];
  }
  return unit ? `${sign}${digits(rest)} ${prefix}${unit}` : `${sign}${digits(rest)}${prefix}`;
}

function longTime(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 7200) return `${digits(seconds / 60)} min`;
  if (size < 172_800) return `${digits(seconds / 3600)} h`;
  if (size < 86_400 * 730) return `${digits(seconds / 86_400)} days`;
  return `${digits(seconds / 86_400 / 365.25)} years`;
}

export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? "unknown" : `${digits(share * 100)}%`;
}

/** "+4.2%", against a first value. */
export function change(value: number, first: number): string {
  if (!first || value === first) return "";
  const share = ((value - first) / Math.abs(first)) * 100;
  return `${share > 0 ? "+" : "-"}${Math.abs(share) >= 1000 ? "1000+" : digits(Math.abs(share))}%`;
}

export function clock(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${digits(milliseconds / 1000)} s`;
}
