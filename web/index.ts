/** The site map: every page, form and resource of the website. */
import type { Settings } from '#core/settings.ts'
import { Gallery } from './gallery.tsx'
import { attachFile } from './pages/attachments/index.ts'
import { signInByProxyHeader } from './pages/accounts/by-proxy.ts'
import { DocsPage, DocsPartPage, type Docs } from './pages/docs.tsx'
import { sections } from './pages/index.ts'
import { page, type SiteMap } from './site.ts'

/** What the pages get from other rooms, as plain data. */
export type SiteData = { readonly docs: () => Promise<Docs> }

/** Every component in all its states, for those who build pages. */
const galleryPage = page({
  path: '/-/gallery',
  view: (_, { url }) =>
    Gallery({ theme: url.searchParams.get('theme') === 'dark' ? 'dark' : undefined }),
})

const docsPages = (docs: SiteData['docs']) => [
  page({ path: '/docs', load: docs, view: (data, visit) => DocsPage({ docs: data, visit }) }),
  page({
    path: '/docs/reference/:part',
    load: async (visit) =>
      DocsPartPage({ docs: await docs(), visit, part: visit.params.part ?? '' }),
    view: (shown) => shown,
  }),
]

export const siteMap = (
  { development }: Pick<Settings, 'development'>,
  { docs }: SiteData,
): SiteMap => ({
  beforePage: signInByProxyHeader,
  attach: attachFile,
  pages: [
    ...sections.flatMap(({ pages = [] }) => pages),
    ...docsPages(docs),
    ...(development ? [galleryPage] : []),
  ],
  forms: sections.flatMap(({ forms = [] }) => forms),
  resources: sections.flatMap(({ resources = [] }) => resources),
})
