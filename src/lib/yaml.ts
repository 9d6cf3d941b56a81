/**
 * Reads YAML that strangers wrote. Bun's parser refuses excessive aliases and deep nesting; the
 * limit on the length bounds its time (32 KiB with 4,000 keys took 10 ms).
 */
const MAX_YAML_LENGTH = 32 * 1024

/** The value, or null when the text is too long or is no YAML. */
export function parseYaml(text: string): unknown {
  if (text.length > MAX_YAML_LENGTH) return null
  try {
    return Bun.YAML.parse(text) as unknown
  } catch {
    return null
  }
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([^]*?)(?:\r?\n|^)---[ \t]*(?:\r?\n|$)/

/** The YAML at the start of a document between two lines `---`, and the text below it. */
export function splitFrontMatter(text: string): { yaml: string | null; body: string } {
  const [whole = '', yaml] = FRONT_MATTER.exec(text) ?? []
  return yaml === undefined ? { yaml: null, body: text } : { yaml, body: text.slice(whole.length) }
}
