/**
 * Which qualifiers apply to which type of result. A type finds nothing when the query has a
 * qualifier that does not apply to it.
 */
import type { Filters } from './find-request.ts'
import type { SearchType } from './query.ts'

const aboutCode = ({ paths, symbols, regexes, branch }: Filters): boolean =>
  paths.length + symbols.length + regexes.length > 0 || branch !== null
const aboutRecords = ({
  authors,
  assignees,
  labels,
  milestones,
  is,
  unassigned,
}: Filters): boolean =>
  authors.length + assignees.length + labels.length + milestones.length + is.length > 0 ||
  unassigned !== null
const aboutRepos = ({ repos, workspaces, notRepos, notWorkspaces }: Filters): boolean =>
  repos !== null || workspaces !== null || notRepos.length + notWorkspaces.length > 0

export function qualifiersApply(filters: Filters, type: SearchType): boolean {
  const code = aboutCode(filters)
  const records = aboutRecords(filters)
  if (type === 'code') return !records
  if (type === 'repositories') return !records && !code
  if (type === 'wiki') return !records && !code && filters.languages.length === 0
  if (type === 'people')
    return !records && !code && !aboutRepos(filters) && filters.languages.length === 0
  if (code || filters.languages.length > 0) return false
  const asked = (...words: string[]) =>
    filters.is.some(({ word, not }) => !not && words.includes(word))
  const refused = (...words: string[]) =>
    filters.is.some(({ word, not }) => not && words.includes(word))
  return type === 'issues'
    ? !asked('pr', 'pull', 'merged', 'draft') && !refused('issue')
    : !asked('issue') && !refused('pr', 'pull')
}
