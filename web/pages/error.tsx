import { ErrorPage } from '../components/card.tsx'
import type { Html } from '../jsx/html.ts'
import type { Visit } from '../site.ts'
import { Shell } from './shell.tsx'
import { t } from '../text.ts'

const TITLES: Readonly<Record<number, string>> = {
  401: 'Sign in first',
  403: 'You may not do this',
  404: 'Nothing here',
  405: 'Not like this',
  409: 'That does not fit what is there now',
  413: 'Too large',
  422: 'Something in the form is not right',
  500: 'Something broke',
  501: 'Not switched on here',
  503: 'Busy for a moment',
}

/** What happened, and the next step. */
export const errorPage = (
  visit: Visit,
  { status, message, request_id }: { status: number; message: string; request_id: string | null },
): Html => (
  <Shell
    visit={{ ...visit, flash: null }}
    title={TITLES[status] ?? t('Error')}
    noindex
    width="narrow"
  >
    <ErrorPage status={status} title={TITLES[status] ?? t('Error')} requestId={request_id}>
      <p>{message}</p>
    </ErrorPage>
  </Shell>
)
