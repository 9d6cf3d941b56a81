/** Pages of packages. */
import type { SiteSection } from '../../site.ts'
import { packageAccessForms, packageAccessPage } from './access.tsx'
import { packagesPage, repoPackagesPage } from './list.tsx'
import { packageReadmePage } from './package-texts.tsx'
import { packagePage } from './package.tsx'
import { packageRetentionPage, retentionForms, workspaceRetentionPage } from './retention.tsx'
import { upstreamForms, upstreamPage, upstreamsPage } from './upstreams.tsx'
import { packageForms, packageSettingsPage } from './settings.tsx'
import { versionMarkForms } from './version-marks.tsx'

export const packages: SiteSection = {
  pages: [
    packagesPage,
    repoPackagesPage,
    workspaceRetentionPage,
    upstreamsPage,
    upstreamPage,
    packagePage,
    packageReadmePage,
    packageAccessPage,
    packageRetentionPage,
    packageSettingsPage,
  ],
  forms: [
    ...packageForms(packagePage),
    ...versionMarkForms(packagePage),
    ...packageAccessForms,
    ...retentionForms,
    upstreamForms,
  ],
}
