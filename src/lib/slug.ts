/** The names that appear in addresses: workspaces, usernames, repositories. */

/** Lowercase letters, digits and single hyphens, neither first nor last, at most 39 characters. */
export const SLUG_PATTERN = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
const SLUG = new RegExp(SLUG_PATTERN)

export const isSlug = (text: string): boolean =>
  text.length >= 1 && text.length <= 39 && SLUG.test(text)

/**
 * Words that are addresses of the site itself, so that neither a workspace nor a person can have
 * them.
 */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set(
  `api mcp oauth admin settings login logout register signup setup device explore search notifications new import invite
  assets static raw avatars packages v1 v2 user users repos workspaces health livez readyz metrics version docs help about
  security well-known .well-known robots.txt favicon.ico ghost system agent git lfs confirm forgot reset`.split(
    /\s+/,
  ),
)

const RESERVED_REPO_NAMES: ReadonlySet<string> = new Set([
  'settings',
  'teams',
  'members',
  'packages',
  'rulesets',
  'audit',
])

/** Why a repository cannot have this name, or null when it can. */
export function repoNameProblem(name: string): string | null {
  const lower = name.toLowerCase()
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(name))
    return 'may have 1 to 100 letters, digits, dots, underscores and hyphens'
  if (name === '.' || name === '..') return 'may not be . or ..'
  if (/\.(git|wiki|lock)$/.test(lower)) return 'may not end in .git, .wiki or .lock'
  if (RESERVED_REPO_NAMES.has(lower)) return `${name} is a reserved word`
  return null
}

/** Makes a slug of any text: other characters become one hyphen. Empty when nothing is left. */
export const slugify = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 39)
    .replace(/-+$/, '')
