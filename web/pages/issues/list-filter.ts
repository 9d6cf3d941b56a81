// The filter of a list of issues or pull requests as the text of its search box: qualifiers such as
// `is:open label:bug`, and words. Links of the page change the filter and write the text anew.

export const LACKS = ['label', 'assignee', 'milestone'] as const
export const SORTS = ['created', 'updated', 'comments'] as const
export const REVIEWS = ['none', 'required', 'approved', 'changes_requested'] as const
export const CHECKS = ['none', 'pending', 'passed', 'failed'] as const

export type ListState = 'open' | 'closed' | 'merged' | 'draft' | 'ready' | 'all'

export type ListFilter = {
  readonly state: ListState
  readonly labels: readonly string[]
  readonly author?: string
  readonly assignee?: string
  readonly milestone?: string
  readonly without: readonly (typeof LACKS)[number][]
  readonly review?: (typeof REVIEWS)[number]
  readonly reviewer?: string
  readonly checks?: (typeof CHECKS)[number]
  readonly branch?: string
  readonly base?: string
  readonly sort: (typeof SORTS)[number]
  readonly direction: 'asc' | 'desc'
  readonly words: string
}

const MAX_QUERY_LENGTH = 500
const MAX_LABELS = 20
const MAX_WORDS_LENGTH = 200
const MAX_NAME_LENGTH = 100

/** A qualifier, with its value in quotes or not, else a word. */
const PART = /([a-z-]{1,20}):(?:"([^"]{0,200})"|([^\s"]{1,200}))|\S+/gi
/** Words of other forges for the state of checks. */
const CHECK_WORDS: Readonly<Record<string, ListFilter['checks']>> = {
  success: 'passed',
  failure: 'failed',
}

const oneOf = <T extends string>(words: readonly T[], value: string): T | undefined =>
  words.find((word) => word === value.toLowerCase())

type Draft = { -readonly [Name in keyof ListFilter]: ListFilter[Name] }

const EMPTY: ListFilter = {
  state: 'open',
  labels: [],
  without: [],
  sort: 'created',
  direction: 'desc',
  words: '',
}

/** What each qualifier sets. It answers false for a value that means nothing, which is a word. */
const QUALIFIERS: Readonly<Record<string, (draft: Draft, value: string) => boolean>> = {
  is: (draft, value) => {
    const state = oneOf(['open', 'closed', 'merged', 'draft'] as const, value)
    // `is:open is:draft` is how other forges write drafts.
    if (state !== undefined && !(state === 'open' && draft.state === 'draft')) draft.state = state
    return state !== undefined || oneOf(['issue', 'pr', 'pull'], value) !== undefined
  },
  state: (draft, value) => {
    const state = oneOf(['open', 'closed', 'all'] as const, value)
    if (state !== undefined) draft.state = state
    return state !== undefined
  },
  draft: (draft, value) => {
    const isDraft = oneOf(['true', 'false'], value)
    if (isDraft !== undefined) draft.state = isDraft === 'true' ? 'draft' : 'ready'
    return isDraft !== undefined
  },
  label: (draft, value) => {
    if (draft.labels.length < MAX_LABELS) draft.labels = [...draft.labels, value]
    return true
  },
  author: (draft, value) => setName(draft, 'author', value),
  assignee: (draft, value) => setName(draft, 'assignee', value),
  milestone: (draft, value) => {
    draft.milestone = value
    return true
  },
  'review-requested': (draft, value) => setName(draft, 'reviewer', value),
  head: (draft, value) => {
    draft.branch = value
    return true
  },
  base: (draft, value) => {
    draft.base = value
    return true
  },
  no: (draft, value) => {
    const lack = oneOf(LACKS, value)
    if (lack !== undefined) draft.without = [...new Set([...draft.without, lack])]
    return lack !== undefined
  },
  review: (draft, value) => {
    draft.review = oneOf(REVIEWS, value.replaceAll('-', '_')) ?? draft.review
    return oneOf(REVIEWS, value.replaceAll('-', '_')) !== undefined
  },
  checks: (draft, value) => setChecks(draft, value),
  status: (draft, value) => setChecks(draft, value),
  sort: (draft, value) => {
    const [, sort = '', direction = 'desc'] = /^([a-z]+)(?:-(asc|desc))?$/i.exec(value) ?? []
    const known = oneOf(SORTS, sort)
    if (known === undefined) return false
    draft.sort = known
    draft.direction = direction.toLowerCase() === 'asc' ? 'asc' : 'desc'
    return true
  },
}

function setName(draft: Draft, name: 'author' | 'assignee' | 'reviewer', value: string): boolean {
  draft[name] = value.replace(/^@(?!me$)/, '').slice(0, MAX_NAME_LENGTH)
  return draft[name] !== ''
}

function setChecks(draft: Draft, value: string): boolean {
  const state = CHECK_WORDS[value.toLowerCase()] ?? oneOf(CHECKS, value)
  if (state !== undefined) draft.checks = state
  return state !== undefined
}

/** Reads the text of the box. Qualifiers that mean nothing are words. */
export function parseFilter(text: string): ListFilter {
  const draft: Draft = { ...EMPTY }
  const words: string[] = []
  for (const [part, name = '', quoted, bare] of text.slice(0, MAX_QUERY_LENGTH).matchAll(PART)) {
    const value = (quoted ?? bare ?? '').trim().slice(0, MAX_NAME_LENGTH)
    const known = Object.hasOwn(QUALIFIERS, name.toLowerCase())
      ? QUALIFIERS[name.toLowerCase()]
      : undefined
    if (!known || value === '' || !known(draft, value)) words.push(part)
  }
  draft.words = words.join(' ').slice(0, MAX_WORDS_LENGTH)
  return draft
}

const quote = (value: string): string =>
  /[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value

const STATE_TEXTS: Readonly<Record<ListState, string>> = {
  open: 'is:open',
  closed: 'is:closed',
  merged: 'is:merged',
  draft: 'is:draft',
  ready: 'draft:false',
  all: 'state:all',
}

/** The text of the box for a filter. */
export function filterText(filter: ListFilter): string {
  const { state, labels, without, sort, direction, words } = filter
  const named = (name: string, value: string | undefined) =>
    value === undefined ? '' : `${name}:${quote(value)}`
  return [
    STATE_TEXTS[state],
    named('author', filter.author),
    ...labels.map((label) => named('label', label)),
    named('assignee', filter.assignee),
    named('milestone', filter.milestone),
    ...without.map((lack) => `no:${lack}`),
    named('review', filter.review),
    named('review-requested', filter.reviewer),
    named('checks', filter.checks),
    named('head', filter.branch),
    named('base', filter.base),
    sort === 'created' && direction === 'desc' ? '' : `sort:${sort}-${direction}`,
    words,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const STATES: readonly ListState[] = ['open', 'closed', 'merged', 'draft', 'ready', 'all']

/**
 * The filter of an address: the box `q`, and the fields of earlier addresses beside it. Without
 * anything, what is open.
 */
export function filterOf(query: URLSearchParams): ListFilter {
  const text = query.get('q')
  const typed = text === null ? EMPTY : parseFilter(text)
  const asked = STATES.find((state) => state === query.get('state'))
  const field = (name: string): string | undefined =>
    query.get(name)?.trim().slice(0, MAX_NAME_LENGTH) || undefined
  const labels = query.getAll('label').map((label) => label.trim().slice(0, MAX_NAME_LENGTH))
  return {
    ...typed,
    state: asked ?? typed.state,
    labels: [...typed.labels, ...labels.filter((label) => label !== '')].slice(0, MAX_LABELS),
    ...(typed.author === undefined && field('author') ? { author: field('author') } : {}),
    ...(typed.assignee === undefined && field('assignee') ? { assignee: field('assignee') } : {}),
    ...(typed.milestone === undefined && field('milestone')
      ? { milestone: field('milestone') }
      : {}),
  }
}

/** Whether a filter narrows the list by more than its state. */
export const isNarrowed = (filter: ListFilter): boolean =>
  filterText({ ...filter, state: 'open', sort: 'created', direction: 'desc' }) !== STATE_TEXTS.open
