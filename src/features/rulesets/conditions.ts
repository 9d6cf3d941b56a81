/** Conditions of a ruleset: names of branches or tags, and, for a workspace, repositories. */
import { glob } from '#lib/glob.ts'
import { invalid } from '#lib/errors.ts'
import { MAX_PATTERN_LENGTH, type Conditions, type NewConditions, type Target } from './schema.ts'

const DEFAULT_BRANCH = '~DEFAULT_BRANCH'
const ALL = '~ALL'

function readPatterns(
  given: readonly string[],
  field: string,
  tokens: readonly string[],
): string[] {
  return [
    ...new Set(
      given.map((raw, index) => {
        const text = raw.trim()
        const at = `${field}[${index}]`
        if (text === '' || /[\x00-\x1f\x7f]/.test(text))
          throw invalid(at, `a pattern must be text of 1 to ${MAX_PATTERN_LENGTH} characters`)
        if (text.startsWith('~') && !tokens.includes(text))
          throw invalid(at, `${text} is not known here; take ${tokens.join(' or ')}`)
        return text
      }),
    ),
  ]
}

/**
 * The default conditions: the default branch, all tags, or everything that is pushed; and all
 * repositories.
 */
export const defaultConditions = (
  target: Target,
  level: 'workspace' | 'repository',
): Conditions => ({
  ref_name: { include: [target === 'branch' ? DEFAULT_BRANCH : ALL], exclude: [] },
  ...(level === 'workspace'
    ? { repository: { include: [ALL], exclude: [], visibility: 'any' as const, topics: [] } }
    : {}),
})

/**
 * Reads conditions; parts that are left out stay as in `before`. Throws 422 at the faulty pattern.
 */
export function readConditions(
  { ref_name, repository }: NewConditions,
  target: Target,
  level: 'workspace' | 'repository',
  before: Conditions = defaultConditions(target, level),
): Conditions {
  const refTokens = target === 'tag' ? [ALL] : [DEFAULT_BRANCH, ALL]
  const refs = {
    include: readPatterns(
      ref_name?.include ?? before.ref_name.include,
      'conditions.ref_name.include',
      refTokens,
    ),
    exclude: readPatterns(
      ref_name?.exclude ?? (ref_name?.include === undefined ? before.ref_name.exclude : []),
      'conditions.ref_name.exclude',
      refTokens,
    ),
  }
  if (level === 'repository') {
    if (repository != null)
      throw invalid('conditions.repository', 'only the ruleset of a workspace chooses repositories')
    return { ref_name: refs }
  }
  const usual = before.repository ?? {
    include: [ALL],
    exclude: [],
    visibility: 'any' as const,
    topics: [],
  }
  return {
    ref_name: refs,
    repository: {
      include: readPatterns(repository?.include ?? usual.include, 'conditions.repository.include', [
        ALL,
      ]),
      exclude: readPatterns(
        repository?.exclude ?? (repository?.include === undefined ? usual.exclude : []),
        'conditions.repository.exclude',
        [ALL],
      ),
      visibility: repository?.visibility ?? usual.visibility,
      topics: readPatterns(
        repository?.topics ?? usual.topics,
        'conditions.repository.topics',
        [],
      ).map((topic) => topic.toLowerCase()),
    },
  }
}

type RefConditions = Conditions['ref_name']

/** Whether the conditions match a short ref name. */
export function matchesRef(
  { include, exclude }: RefConditions,
  name: string,
  default_branch: string,
): boolean {
  const one = (pattern: string): boolean =>
    pattern === ALL ||
    (pattern === DEFAULT_BRANCH ? name === default_branch : glob(pattern).matches(name))
  return include.some(one) && !exclude.some(one)
}

/**
 * Whether the conditions match a repository. A ruleset of a repository has no such conditions and
 * always matches.
 */
export function matchesRepository(
  conditions: Conditions['repository'],
  repo: { name: string; private: boolean; topics: readonly string[] },
): boolean {
  if (!conditions) return true
  const { include, exclude, visibility, topics } = conditions
  const name = repo.name.toLowerCase()
  const one = (pattern: string): boolean =>
    pattern === ALL || glob(pattern.toLowerCase()).matches(name)
  if (visibility !== 'any' && (visibility === 'private') !== repo.private) return false
  if (topics.length > 0 && !topics.some((topic) => repo.topics.includes(topic))) return false
  return include.some(one) && !exclude.some(one)
}
