import type { Filters } from './request.ts'

/** No qualifier at all. */
export const everywhere: Filters = {
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
