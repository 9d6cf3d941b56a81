/** Names that records cannot have, because pages have their addresses. */

/** Names of pages of the site. Neither a workspace nor a person can have them. */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set(
  `api mcp oauth admin settings login logout register signup setup device explore search notifications new import invite
  assets static raw avatars packages v1 v2 user users repos workspaces health livez readyz metrics version docs help about
  security well-known .well-known robots.txt favicon.ico ghost system agent git lfs model confirm forgot reset`.split(
    /\s+/,
  ),
)

/** Names of pages of a workspace. */
const RESERVED_REPO_NAMES: ReadonlySet<string> = new Set([
  'settings',
  'teams',
  'members',
  'packages',
  'rulesets',
  'audit',
])

/** Namespaces of refs that the forge keeps itself. Nobody can push to them. */
export const RESERVED_REF_PREFIXES: readonly string[] = [
  'refs/pull/',
  'refs/remote/',
  'refs/takeover/',
  'refs/queue/',
  'refs/hearth/',
]

/** Why a repository cannot have a name; null when it can. */
export function repoNameProblem(name: string): string | null {
  const lower = name.toLowerCase()
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(name))
    return 'may have 1 to 100 letters, digits, dots, underscores and hyphens'
  if (name === '.' || name === '..') return 'may not be . or ..'
  if (/\.(git|wiki|lock)$/.test(lower)) return 'may not end in .git, .wiki or .lock'
  if (RESERVED_REPO_NAMES.has(lower)) return `${name} is a reserved word`
  return null
}
