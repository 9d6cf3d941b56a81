import { Button } from '../components/button.tsx'
import { PageHead } from '../components/layout.tsx'
import { PROOF_BITS, PROOF_PATH } from '../crawlers.ts'
import type { Visit } from '../site.ts'
import { Shell } from './shell.tsx'
import { rich, t } from '../text.ts'

/** The page that asks the reader's browser for a proof of work. Readers without scripts sign in. */
export const proofOfWorkPage = (visit: Visit, challenge: string) => (
  <Shell visit={visit} title={t('One moment')} noindex>
    <PageHead
      title={t('One moment')}
      lead={t(
        'Many pages of old history were asked for from your network. Your browser proves that it is one, which takes a second.',
      )}
    />
    <form
      action={PROOF_PATH}
      method="post"
      class="form"
      data-work={challenge}
      data-bits={String(PROOF_BITS)}
    >
      <input type="hidden" name="csrf" value={visit.csrf} />
      <input type="hidden" name="challenge" value={challenge} />
      <input type="hidden" name="answer" value="" />
      <input type="hidden" name="next" value={visit.url.pathname + visit.url.search} />
      <p class="js-only" role="status">
        {t('Working…')}
      </p>
      <noscript>
        <p>
          {rich(
            'This needs a script. Without one, <a>sign in</a> to go on, or clone the repository with git.',
            {
              a: (inner) => (
                <a
                  href={`/login?next=${encodeURIComponent(visit.url.pathname + visit.url.search)}`}
                >
                  {inner}
                </a>
              ),
            },
          )}
        </p>
      </noscript>
      <p class="js-only">
        <Button>{t('Continue')}</Button>
      </p>
    </form>
  </Shell>
)
