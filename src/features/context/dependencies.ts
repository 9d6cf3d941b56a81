/** Packages of others, as the manifests of repositories name them. */

/** The type of the packages that a manifest names, by its file name. */
export const MANIFESTS: Readonly<Record<string, string>> = {
  'package.json': 'npm',
  'go.mod': 'go',
  'Cargo.toml': 'cargo',
  'requirements.txt': 'pypi',
  'pyproject.toml': 'pypi',
  'composer.json': 'composer',
  Gemfile: 'rubygems',
}

/** Lines of a manifest are short; what is longer is no dependency. */
const MAX_LINE_LENGTH = 300

/** One name and one version, as each type writes them on a line. */
const LINES: Readonly<Record<string, RegExp>> = {
  npm: /^\s*"(?<name>[@\w./-]{1,214})"\s{0,4}:\s{0,4}"(?<version>[^"\s]{1,100})",?\s*$/,
  composer: /^\s*"(?<name>[\w.-]+\/[\w.-]+)"\s{0,4}:\s{0,4}"(?<version>[^"\s]{1,100})",?\s*$/,
  go: /^\s{0,8}(?:require )?(?<name>\w[\w./~-]{0,200}) (?<version>v[\w.+-]{1,100})/,
  cargo:
    /^(?<name>[\w-]{1,64})\s{0,4}=\s{0,4}(?:\{.{0,80}?version\s?=\s?)?"(?<version>[^"]{1,100})"/,
  pypi: /^\s*"?(?<name>[A-Za-z][\w.-]{0,100})(?:\[[\w,-]{1,100}\])?\s?(?<version>[=<>~!]=?[\w.*,<>=! ]{1,60})/,
  rubygems: /^\s*gem ["'](?<name>[\w.-]{1,100})["'](?:, ["'](?<version>[^"']{1,100})["'])?/,
}

/** The dependency that a line of a manifest names; null for another line. */
export function versionIn(
  type: string,
  line: string,
): { readonly name: string; readonly version: string } | null {
  if (line.length > MAX_LINE_LENGTH) return null
  const { name, version = '*' } = LINES[type]?.exec(line)?.groups ?? {}
  // Fields of package.json look alike: a version has a digit, a star or the name of a protocol.
  if (name === undefined || !/[\d*]|:/.test(version)) return null
  if (type === 'npm' && (name === 'version' || /^https?:/.test(version))) return null
  return { name, version: version.trim() }
}
