/** `go.mod` (https://go.dev/ref/mod#go-mod-file), which lists all modules since Go 1.17. */
import type { FoundPackage, FoundPackages } from './locked-packages.ts'

type Replacement = { readonly from: string; readonly version: string | null; readonly to: string[] }

const withoutV = (version: string): string => version.replace(/^v/, '')

/** Lines with their directive: those in parentheses have the one before them. */
function* directives(text: string): Generator<{ words: string[]; isIndirect: boolean }> {
  let block: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const comment = line.indexOf('//')
    const code = comment < 0 ? line : line.slice(0, comment)
    const words = code
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/^["`]|["`]$/g, ''))
    if (words[0] === '') continue
    if (block !== null && words[0] === ')') block = null
    else if (words[1] === '(' || words[0]?.endsWith('('))
      block = (words[0] ?? '').replace(/\($/, '')
    else
      yield {
        words: block === null ? words : [block, ...words],
        isIndirect: /^\/\/\s*indirect\b/.test(line.slice(comment < 0 ? line.length : comment)),
      }
  }
}

function replace(found: FoundPackage, replacements: readonly Replacement[]): FoundPackage[] {
  const replacement =
    replacements.find(({ from, version }) => from === found.name && version === found.version) ??
    replacements.find(({ from, version }) => from === found.name && version === null)
  if (!replacement) return [found]
  const [name = '', version] = replacement.to
  // A folder has no version.
  return version === undefined ? [] : [{ ...found, name, version: withoutV(version) }]
}

export function readGoMod(text: string): FoundPackages {
  const packages: FoundPackage[] = []
  const replacements: Replacement[] = []
  let go: string | null = null
  let toolchain: string | null = null
  for (const { words, isIndirect } of directives(text)) {
    const [directive, name = '', ...rest] = words
    if (directive === 'require' && rest[0] !== undefined)
      packages.push({ name, version: withoutV(rest[0]), isDirect: !isIndirect })
    else if (directive === 'go') go = name
    else if (directive === 'toolchain') toolchain = /^go(\d[\w.]*)/.exec(name)?.[1] ?? null
    else if (directive === 'replace') {
      const arrow = rest.indexOf('=>')
      const version = arrow > 0 ? withoutV(rest[0] ?? '') : null
      if (arrow >= 0) replacements.push({ from: name, version, to: rest.slice(arrow + 1) })
    }
  }
  const standard = toolchain ?? go
  return {
    packages: [
      ...packages.flatMap((found) => replace(found, replacements)),
      // Faults of the standard library have advisories under this name.
      ...(standard === null ? [] : [{ name: 'stdlib', version: standard, isDirect: true }]),
    ],
  }
}
