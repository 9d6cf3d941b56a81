/** The wiki of a repository. */
import type { SiteSection } from '../../site.ts'
import { wikiChangePage } from './change.tsx'
import { deleteWikiForm, editWikiForm, editWikiPage, newWikiForm, newWikiPage } from './edit.tsx'
import { wikiHistoryPage } from './history.tsx'
import { wikiHome, wikiPage } from './page.tsx'
import { wikiPagesPage } from './pages.tsx'
import { wikiFile } from './raw.ts'

export const wiki: SiteSection = {
  pages: [
    wikiHome,
    wikiPage,
    wikiPagesPage,
    wikiHistoryPage,
    wikiChangePage,
    newWikiPage,
    editWikiPage,
  ],
  forms: [newWikiForm, editWikiForm, deleteWikiForm],
  resources: [wikiFile],
}
