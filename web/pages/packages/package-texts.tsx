// What the page of a package shows the beginning of: its README.
import { getPackage, readPackageDetails, type Package } from '#features/packages/index.ts'
import type { MarkdownBodyOptions } from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { LongTextBody, loadLongText, rawText } from '../writing/long-text.tsx'
import { PackageFrame, targetOf } from './package-frame.tsx'
import { packagePath } from './package-parts.tsx'
import { workspaceSummary } from './workspace-summary.ts'

/** The README of a version; of the latest one unless a version is named. */
export const readmePath = (item: Package, version: string | undefined): string =>
  withQuery(packagePath(item, '/readme'), { version })

export const readmeMarkdown = (visit: Visit, item: Package): MarkdownBodyOptions => ({
  page: visit.markdown,
  link: { siteUrl: visit.hearth.settings.site_url, repo: item.repository?.full_name ?? '' },
})

export const packageReadmePage = page({
  path: '/:workspace/-/packages/:type/:name/readme',
  load: async (visit) => {
    const target = targetOf(visit)
    const item = await visit.call(getPackage, target)
    const version = visit.url.searchParams.get('version') ?? item.latest ?? undefined
    const details = await visit.call(readPackageDetails, { ...target, version })
    if (details.readme === null) return null
    return (
      rawText(visit, details.readme) ?? {
        item,
        workspace: await workspaceSummary(visit, item.workspace),
        text: await loadLongText(visit, details.readme, readmeMarkdown(visit, item)),
      }
    )
  },
  view: ({ item, workspace, text }, visit) => (
    <PackageFrame visit={visit} workspace={workspace} item={item} current="overview">
      <h2>{t('README')}</h2>
      <LongTextBody visit={visit} text={text} />
    </PackageFrame>
  ),
})
