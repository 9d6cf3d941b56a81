// The pages of the search, for the map of the site.
import { explorePage } from './explore.tsx'
import { jumpList } from './jump.ts'
import { repoSearchPage, searchPage } from './search.tsx'

export const searchPages = [searchPage, repoSearchPage, explorePage]
export const searchResources = [jumpList]
