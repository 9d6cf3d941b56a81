/** Pages of packages. */
import type { SiteSection } from '../../site.ts'
import { packagesPage, repoPackagesPage } from './list.tsx'
import { packagePage } from './package.tsx'
import { packageForms } from './settings.tsx'

export const packages: SiteSection = {
  pages: [packagesPage, repoPackagesPage, packagePage],
  forms: packageForms(packagePage),
}
