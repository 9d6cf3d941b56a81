// The preview of a text. Without the browser script it opens in another window.
import { MarkdownBody } from '../../components/index.ts'
import { PREVIEW_PATH } from '../../paths.ts'
import { pageResponse, action } from '../../site.ts'
import { markdownOf } from '../issues/conversation.tsx'
import { Shell } from '../shell.tsx'
import { wikiMarkdown, withPageLinks } from '../wiki/text.ts'
import { t } from '../../text.ts'

const MAX_PREVIEW_LENGTH = 256 * 1024
/** The HTML of the preview. */
const MAX_SHOWN_BYTES = 80_000

/** `field` names the field with the text, `repo` the repository of its references. */
export const previewForm = action({
  path: PREVIEW_PATH,
  submit: async (visit, fields) => {
    const query = visit.url.searchParams
    const repo = query.get('repo') ?? ''
    const text = fields.text(query.get('field') ?? 'body').slice(0, MAX_PREVIEW_LENGTH)
    const isWiki = query.get('kind') === 'wiki'
    const shown = (
      <Shell visit={visit} title={t('Preview')} noindex>
        <h1 class="unseen">{t('Preview')}</h1>
        <div id="preview">
          <MarkdownBody
            text={isWiki ? withPageLinks(text) : text}
            options={isWiki ? wikiMarkdown(visit, repo, '') : markdownOf(visit, repo)}
            empty={t('Nothing written yet.')}
            whole={{ href: null, maxBytes: MAX_SHOWN_BYTES }}
          />
        </div>
      </Shell>
    )
    return pageResponse(visit, shown)
  },
})
