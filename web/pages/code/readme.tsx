import type { MarkdownBodyOptions } from '../../components/index.ts'
import type { Visit } from '../../site.ts'

/** The options for a Markdown file of a repository. Its relative links start at the directory that it is in. */
export const documentMarkdown = (
  visit: Visit,
  { repo, ref, dir }: { repo: string; ref: string; dir: string },
): MarkdownBodyOptions => ({
  page: visit.markdown,
  link: { siteUrl: visit.hearth.settings.site_url, repo },
  base: { repo, ref, dir },
})
