// A text as it will look, for those who are still writing it. Without a script it opens in another
// window, and the text stays where it is.
import { MarkdownBody } from '../../components/index.ts'
import { renderPage } from '../../jsx/html.ts'
import { PREVIEW_PATH } from '../../paths.ts'
import { action, Away } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { Shell } from '../shell.tsx'

const MOST = 256 * 1024

/** `field` names the field that holds the text, `repo` where its references lead. */
export const previewForm = action({
  path: PREVIEW_PATH,
  submit: async (visit, fields) => {
    const query = visit.url.searchParams
    const repo = query.get('repo') ?? ''
    const text = fields.text(query.get('field') ?? 'body').slice(0, MOST)
    const shown = (
      <Shell visit={visit} title="Preview" noindex>
        <h1 class="unseen">Preview</h1>
        <div id="preview">
          <MarkdownBody
            text={text}
            options={markdownOf(visit, repo)}
            empty="Nothing written yet."
          />
        </div>
      </Shell>
    )
    return new Away(new Response(renderPage(shown), { headers: visit.headers }))
  },
})
