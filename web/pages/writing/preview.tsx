// A text as it will look, for those who are still writing it. Without a script it opens in another
// window, and the text stays where it is.
import { MarkdownBody } from '../../components/index.ts'
import { PREVIEW_PATH } from '../../paths.ts'
import { pageResponse, action } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { Shell } from '../shell.tsx'

const MAX_PREVIEW_LENGTH = 256 * 1024

/** `field` names the field that holds the text, `repo` where its references lead. */
export const previewForm = action({
  path: PREVIEW_PATH,
  submit: async (visit, fields) => {
    const query = visit.url.searchParams
    const repo = query.get('repo') ?? ''
    const text = fields.text(query.get('field') ?? 'body').slice(0, MAX_PREVIEW_LENGTH)
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
    return pageResponse(visit, shown)
  },
})
