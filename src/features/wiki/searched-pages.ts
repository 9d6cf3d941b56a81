/** Tells the search which pages a wiki has. */
import type { wikiPages } from '#features/repos/index.ts'
import { slugOfPath, titleOfSlug } from './names.ts'
import { findWiki } from './store.ts'
import { hasWiki } from './wiki.ts'

export const searchedPages: Parameters<(typeof wikiPages)['with']>[0] = {
  headOf: (db, repo_id) => findWiki(db, repo_id)?.commit_sha ?? null,
  areShown: (db, repo_id) => hasWiki({ db }, repo_id),
  pageOf: (path) => {
    const slug = slugOfPath(path)
    return slug === null ? null : { slug, title: titleOfSlug(slug) }
  },
}
