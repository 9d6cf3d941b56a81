import type { Filters } from './find-request.ts'

/** The filters of a query without qualifiers. */
export const NO_FILTERS: Filters = {
  repos: null,
  workspaces: null,
  notRepos: [],
  notWorkspaces: [],
  named: [],
  languages: [],
  paths: [],
  authors: [],
  assignees: [],
  labels: [],
  milestones: [],
  is: [],
  unassigned: null,
  symbols: [],
  regexes: [],
  branch: null,
  exactCase: false,
  archived: false,
  generated: false,
}
