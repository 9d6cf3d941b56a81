/** Search, the list of all repositories, and the quick switcher. */
import type { SiteSection } from '../../site.ts'
import { explorePage } from './explore.tsx'
import { jumpList } from './jump.ts'
import { repoSearchPage, searchPage } from './search.tsx'

export const search: SiteSection = {
  pages: [searchPage, repoSearchPage, explorePage],
  resources: [jumpList],
}
