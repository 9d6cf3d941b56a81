import { endOtherSignIns, endSignIn, listSignIns, type SignIn } from '#features/accounts/index.ts'
import { Button } from '../../components/button.tsx'
import { ActionButton } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge } from '../../components/state.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { action, redirectWithFlash, page } from '../../site.ts'
import { pageOfRows, RowSteps } from '../row-form.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { rich, t, texts } from '../../text.ts'

const BY: Record<SignIn['method'], string> = texts({
  password: 'a password',
  passkey: 'a passkey',
  sso: 'your organization',
  proxy: 'the proxy of your organization',
  setup: 'the set-up link',
})

const PER_PAGE = 50

/** `Firefox on Linux`, as far as the browser says. The full user agent is shown below. */
function browserOf(user_agent: string | null): string {
  const find = (names: readonly (readonly [RegExp, string])[]): string | null =>
    names.find(([pattern]) => pattern.test(user_agent ?? ''))?.[1] ?? null
  const browser = find([
    [/Edg\//, 'Edge'],
    [/OPR\//, 'Opera'],
    [/Firefox\//, 'Firefox'],
    [/Chrome\//, 'Chrome'],
    [/Safari\//, 'Safari'],
    [/curl\//, 'curl'],
  ])
  const system = find([
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Windows/, 'Windows'],
    [/Mac OS X/, 'macOS'],
    [/Linux/, 'Linux'],
  ])
  return browser === null ? t('A browser') : system === null ? browser : `${browser} on ${system}`
}

export const sessionsPage = page({
  path: '/settings/sessions',
  load: async (visit) => pageOfRows(visit, (await visit.call(listSignIns, {})).items, PER_PAGE),
  view: (list, visit) => (
    <SettingsFrame
      visit={visit}
      title={t('Sessions')}
      current="sessions"
      lead={t('Browsers that are signed in as you. A session ends 30 days after its last use.')}
    >
      <List
        label={t('Your sessions')}
        head={
          list.items.length > 1 || list.page > 1 ? (
            <ActionButton action="/settings/sessions/others" csrf={visit.csrf}>
              <Button small variant="danger">
                {t('Sign out all others')}
              </Button>
            </ActionButton>
          ) : undefined
        }
      >
        {list.items.map((item) => (
          <Row
            mark={<Icon name="device" />}
            title={
              <strong title={item.user_agent ?? undefined}>{browserOf(item.user_agent)}</strong>
            }
            meta={
              <>
                {item.ip && <span class="mono">{item.ip}</span>}
                <span>
                  {rich('Signed in {time} with {by}', {
                    time: <RelativeTime at={item.created_at} />,
                    by: BY[item.method],
                  })}
                </span>
                <span>
                  {rich('Last used {time}', { time: <RelativeTime at={item.last_used_at} /> })}
                </span>
              </>
            }
            end={
              item.current ? (
                <Badge tone="good">{t('this browser')}</Badge>
              ) : (
                <ActionButton
                  action="/settings/sessions/end"
                  csrf={visit.csrf}
                  values={{ id: item.id }}
                >
                  <Button small variant="danger">
                    {t('Sign out')}
                  </Button>
                </ActionButton>
              )
            }
          />
        ))}
      </List>
      <RowSteps list={list} here="/settings/sessions" label={t('Pages of sessions')} />
    </SettingsFrame>
  ),
})

export const endSessionForm = action({
  path: '/settings/sessions/end',
  submit: async (visit, fields) => {
    await visit.call(endSignIn, { id: fields.text('id') })
    return redirectWithFlash(visit, '/settings/sessions', 'browser-signed-out')
  },
})

export const endOtherSessionsForm = action({
  path: '/settings/sessions/others',
  submit: async (visit) => {
    await visit.call(endOtherSignIns, {})
    return redirectWithFlash(visit, '/settings/sessions', 'others-signed-out')
  },
})
