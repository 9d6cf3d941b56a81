import { MarkdownBody } from '../../components/index.ts'
import type { Visit } from '../../site.ts'

type DocumentProps = {
  readonly visit: Visit
  readonly text: string
  readonly repo: string
  readonly ref: string
  readonly dir: string
}

/** A Markdown file of a repository. Its relative links start at the directory that it is in. */
export const DocumentBody = ({ visit, text, repo, ref, dir }: DocumentProps) => (
  <MarkdownBody
    text={text}
    options={{
      page: visit.markdown,
      link: { siteUrl: visit.hearth.settings.site_url, repo },
      base: { repo, ref, dir },
    }}
    empty=""
  />
)
