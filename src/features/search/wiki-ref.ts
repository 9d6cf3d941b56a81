/**
 * The name under which the index has the wiki of a repository. No branch has such a name, because
 * git refuses the colon.
 */
export const WIKI_REF = 'wiki:'
