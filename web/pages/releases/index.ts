// The pages of releases.
import { assetDownload } from './download.ts'
import { editReleasePage, newReleasePage, releaseEditForms } from './edit.tsx'
import { latestPage, releasesPage } from './list.tsx'
import { releaseActionForms, releasePage, taggedPage } from './release.tsx'

export const releasePages = [
  releasesPage,
  latestPage,
  newReleasePage,
  editReleasePage,
  taggedPage,
  releasePage,
]
export const releaseForms = [...releaseEditForms, ...releaseActionForms]
export const releaseResources = [assetDownload]
