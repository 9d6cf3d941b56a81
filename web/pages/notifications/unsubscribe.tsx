import { getUnsubscription, unsubscribe } from '#features/notifications/index.ts'
import { ActionButton, Button, PageHead } from '../../components/index.ts'
import { pageResponse, action, page, type Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'
import { rich, t } from '../../text.ts'

const tokenOf = ({ params }: Visit): string => params.token ?? ''

/**
 * Opening the link changes nothing, because programs open links to scan them. The button does, and
 * so do mail clients.
 */
export const unsubscribePage = page({
  path: '/notifications/unsubscribe/:token',
  load: (visit) => visit.call(getUnsubscription, { token: tokenOf(visit) }),
  view: ({ what }, visit) => (
    <Shell visit={visit} title={t('Unsubscribe')} width="narrow" noindex>
      <PageHead
        title={t('Unsubscribe from this mail?')}
        lead={rich('You will no longer get mail about {what}.', { what })}
      />
      <ActionButton action={visit.url.pathname} csrf={visit.csrf}>
        <Button variant="primary">{t('Unsubscribe')}</Button>
      </ActionButton>
      <p class="muted">
        {rich('Choose which mail you get in <a>your settings</a>.', {
          a: (inner) => <a href="/settings/notifications">{inner}</a>,
        })}
      </p>
    </Shell>
  ),
})

export const unsubscribeForm = action({
  path: '/notifications/unsubscribe/:token',
  allowsAnonymous: true,
  // The address holds the whole right. Mail clients post it without cookies (RFC 8058 section 3.2).
  isAuthorizedByAddress: true,
  submit: async (visit) => {
    const { what } = await visit.call(unsubscribe, { token: tokenOf(visit) })
    const shown = (
      <Shell visit={visit} title={t('Unsubscribed')} width="narrow" noindex>
        <PageHead
          title={t('Unsubscribed')}
          lead={rich('You no longer get mail about {what}.', { what })}
        />
        <p class="muted">
          {rich('Choose which mail you get in <a>your settings</a>.', {
            a: (inner) => <a href="/settings/notifications">{inner}</a>,
          })}
        </p>
      </Shell>
    )
    return pageResponse(visit, shown)
  },
})
