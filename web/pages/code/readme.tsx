import { raw } from '../../jsx/html.ts'
import type { Visit } from '../../site.ts'

type DocumentProps = {
  readonly visit: Visit
  readonly text: string
  readonly repo: string
  readonly ref: string
  readonly dir: string
}

/** A Markdown file of a repository. Its relative links start at the directory that it is in. */
export const DocumentBody = ({ visit, text, repo, ref, dir }: DocumentProps) => {
  const link = { siteUrl: visit.hearth.settings.site_url, repo }
  return (
    <div class="md" dir="auto">
      {raw(visit.markdown.place(text, { link, base: { repo, ref, dir } }))}
    </div>
  )
}
