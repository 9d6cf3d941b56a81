/** Wikis: pages in a git repository beside the repository. A leaf. */
import type { Feature } from '#core/hearth.ts'
import { retainedCommits, wikiCopiers, wikiPages } from '#features/repos/index.ts'
import { copyWiki } from './copy-wiki.ts'
import { events } from './events.ts'
import * as operations from './operations.ts'
import { searchedPages } from './searched-pages.ts'
import { listRetainedHeads } from './store.ts'

export * from './operations.ts'
export * from './schema.ts'
export { findWikiRefs, hasWiki } from './wiki.ts'
export { HOME, SIDEBAR, FOOTER, titleOfSlug } from './names.ts'

export const feature: Feature = {
  name: 'wiki',
  operations: Object.values(operations),
  events,
  extensions: [
    retainedCommits.with(listRetainedHeads),
    wikiCopiers.with(copyWiki),
    wikiPages.with(searchedPages),
  ],
}
