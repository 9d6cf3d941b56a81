/** Pages of releases and the download of their files. */
import type { SiteSection } from '../../site.ts'
import { assetDownload, latestDownload } from './download.ts'
import { editReleasePage, newReleasePage, releaseEditForms } from './edit.tsx'
import { latestPage, releasesPage } from './list.tsx'
import { releaseActionForms, releasePage, taggedPage } from './release.tsx'

export const releases: SiteSection = {
  pages: [releasesPage, latestPage, newReleasePage, editReleasePage, taggedPage, releasePage],
  forms: [...releaseEditForms, ...releaseActionForms],
  resources: [assetDownload, latestDownload],
}
