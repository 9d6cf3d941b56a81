import type { RepoGrant } from '#core/access.ts'

/** The id of the repository whose large files and locks count: a fork has those of its parent. */
export const familyOf = ({ id, parent_id }: Pick<RepoGrant, 'id' | 'parent_id'>): string =>
  parent_id ?? id
