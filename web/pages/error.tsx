import { LinkButton } from '../components/button.tsx'
import { ErrorPage } from '../components/card.tsx'
import type { Html } from '../jsx/html.ts'
import { previousPage } from '../list-place.ts'
import type { Visit } from '../site.ts'
import { Shell } from './shell.tsx'
import { t, texts } from '../text.ts'

const TITLES: Readonly<Record<number, string>> = texts({
  401: 'Sign in first',
  403: 'You do not have permission',
  404: 'Nothing here',
  405: 'Method not allowed',
  409: 'Conflict with the current state',
  413: 'Too large',
  422: 'Invalid input',
  500: 'Internal error',
  501: 'Not enabled',
  503: 'Temporarily busy',
})

/** The page of this site that led here. */
function previousPath({ request, url }: Visit): string | null {
  const from = previousPage(request, url)
  return from !== null && from.pathname !== url.pathname ? from.pathname + from.search : null
}

/** What happened, and the next step. */
export const errorPage = (
  visit: Visit,
  { status, message, request_id }: { status: number; message: string; request_id: string | null },
): Html => {
  const back = previousPath(visit)
  return (
    <Shell
      visit={{ ...visit, flash: null }}
      title={TITLES[status] ?? t('Error')}
      noindex
      width="narrow"
    >
      <ErrorPage
        status={status}
        title={TITLES[status] ?? t('Error')}
        requestId={request_id}
        actions={
          status === 404 && visit.viewer === null ? (
            <>
              <LinkButton
                href={`/login?next=${encodeURIComponent(visit.url.pathname + visit.url.search)}`}
                variant="primary"
              >
                {t('Sign in')}
              </LinkButton>
              <LinkButton href="/explore">{t('Explore')}</LinkButton>
            </>
          ) : (
            back !== null && (
              <>
                <LinkButton href={back} variant="primary">
                  {t('Back to the page')}
                </LinkButton>
                <LinkButton href="/">{t('Go to the start')}</LinkButton>
              </>
            )
          )
        }
      >
        <p>{message}</p>
      </ErrorPage>
    </Shell>
  )
}
