/** Pages of code: files, history, comparison, the editor. */
import type { SiteSection } from '../../site.ts'
import { archiveDownload } from './archive.ts'
import { blameBefore, blamePage } from './blame.tsx'
import { blobPage } from './blob.tsx'
import { changedFilesPage } from './changed-files.tsx'
import { commitPage } from './commit.tsx'
import { comparePage, comparePickPage } from './compare.tsx'
import { editForms, editPages } from './edit.tsx'
import { findPage } from './find.tsx'
import { firstPush } from './first-steps.tsx'
import { firstTokenForm } from './first-token.tsx'
import { forkHistoryPage } from './fork-history.ts'
import { branchesPage, commitsPage, tagsPage } from './history.tsx'
import { ownersPage } from './owners.tsx'
import { patches } from './patch.ts'
import { rawFile } from './raw.ts'
import { refForms } from './ref-forms.ts'
import { refsPage } from './ref-switch.tsx'
import { repoPage, treePage } from './tree.tsx'
import { commitMessagePage, commitRefsPage } from './commit-texts.tsx'
import { statusesPage } from './statuses-page.tsx'
import { uploadForm, uploadPage } from './upload.tsx'

/** The same page for the fork of a pull request, below the address of the pull request. */
const inFork = <T extends { readonly path: string }>(route: T): T => ({
  ...route,
  path: route.path.replace('/:repo/', '/:repo/pull/:fork/'),
})

const pagesOfForks = [
  treePage,
  blobPage,
  blamePage,
  forkHistoryPage,
  refsPage,
  findPage,
  commitPage,
  statusesPage,
  commitMessagePage,
  commitRefsPage,
  comparePage,
  changedFilesPage,
  uploadPage,
  ...editPages,
]
const filesOfForks = [rawFile, archiveDownload, blameBefore, ...patches]

export const code: SiteSection = {
  pages: [
    repoPage,
    treePage,
    blobPage,
    blamePage,
    commitsPage,
    branchesPage,
    tagsPage,
    refsPage,
    findPage,
    commitPage,
    statusesPage,
    commitMessagePage,
    commitRefsPage,
    comparePickPage,
    comparePage,
    changedFilesPage,
    uploadPage,
    ...editPages,
    ownersPage,
    ...pagesOfForks.map(inFork),
  ],
  forms: [
    ...refForms,
    ...editForms,
    uploadForm,
    firstTokenForm,
    ...[...editForms, uploadForm].map(inFork),
  ],
  resources: [
    rawFile,
    archiveDownload,
    blameBefore,
    ...patches,
    firstPush,
    ...filesOfForks.map(inFork),
  ],
}
