// The page that grants access to a tool without a browser: the user compares the code that the tool
// shows, and approves or denies.
import { decideDevice, getDeviceRequest } from '#features/devices/index.ts'
import { Button } from '../../components/button.tsx'
import { Card, Facts } from '../../components/card.tsx'
import { Notice } from '../../components/flash.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { RelativeTime } from '../../components/time.tsx'
import type { Html } from '../../jsx/html.ts'
import { pageResponse, action, page, type Visit } from '../../site.ts'
import { Refusal } from '#lib/errors.ts'
import { formError, Shell } from '../shell.tsx'
import { chosenScopes, ScopeChoice } from './scope-choice.tsx'
import { rich, t } from '../../text.ts'

type DeviceRequest = {
  code: string
  client_name: string
  ip: string | null
  user_agent: string | null
  scopes: string[] | null
  created_at: string
}

const Enter = ({
  visit,
  code,
  problem,
}: {
  visit: Visit
  code: string
  problem: string | null
}): Html => (
  <Shell visit={visit} title={t('Authorize a device')} width="narrow" noindex>
    <PageHead
      title={t('Authorize a device')}
      lead={t('Type the code that your device or terminal shows.')}
    />
    <Card>
      <Form action="/device" method="get">
        <Field
          name="code"
          label={t('Code')}
          required
          autofocus
          mono
          autocomplete="off"
          maxlength={20}
          placeholder={t('XXXX-XXXX')}
          value={code}
          error={problem}
        />
        <FormActions>
          <Button variant="primary">{t('Continue')}</Button>
        </FormActions>
      </Form>
    </Card>
  </Shell>
)

const Decide = ({ visit, asked }: { visit: Visit; asked: DeviceRequest }): Html => (
  <Shell
    visit={visit}
    title={t('Authorize {client_name}?', { client_name: asked.client_name })}
    width="narrow"
    noindex
  >
    <PageHead
      title={t('Authorize {client_name}?', { client_name: asked.client_name })}
      lead={t('It asks for access to your account {username}.', {
        username: visit.viewer?.username ?? '',
      })}
    />
    <Card>
      <Form action="/device" csrf={visit.csrf} error={formError(visit, 'scopes')}>
        <input type="hidden" name="code" value={asked.code} />
        <Facts
          facts={[
            { label: t('Name'), value: <strong>{asked.client_name}</strong> },
            {
              label: t('Code shown'),
              value: (
                <strong class="mono" id="user-code">
                  {asked.code}
                </strong>
              ),
            },
            {
              label: t('Requested from'),
              value: <span class="mono">{asked.ip ?? t('an unknown address')}</span>,
            },
            ...(asked.user_agent === null
              ? []
              : [{ label: t('With'), value: <span class="mono">{asked.user_agent}</span> }]),
            { label: t('Asked'), value: <RelativeTime at={asked.created_at} /> },
          ]}
        />
        <Notice kind="wait" title={t('Compare the code')}>
          {t(
            'Continue only if you started this yourself and your device shows the same code. Never approve a code that somebody sent you.',
          )}
        </Notice>
        <ScopeChoice visit={visit} asked={asked.scopes} />
        <FormActions>
          <Button variant="primary" name="decision" value="approve">
            {t('Approve')}
          </Button>
          <Button name="decision" value="deny">
            {t('Deny')}
          </Button>
        </FormActions>
      </Form>
    </Card>
  </Shell>
)

const Done = ({
  visit,
  name,
  approved,
}: {
  visit: Visit
  name: string
  approved: boolean
}): Html => (
  <Shell
    visit={visit}
    title={approved ? t('Device authorized') : t('Access denied')}
    width="narrow"
    noindex
  >
    <PageHead
      title={approved ? t('Device authorized') : t('Access denied')}
      lead={
        approved
          ? t('{name} goes on by itself in a moment. You can close this page.', { name })
          : t('{name} gets no access. You can close this page.', { name })
      }
    />
    {approved && (
      <p class="muted">
        {rich('Its token is among your <a>access tokens</a>, where you can revoke it.', {
          a: (inner) => <a href="/settings/tokens">{inner}</a>,
        })}
      </p>
    )}
  </Shell>
)

export const devicePage = page({
  path: '/device',
  load: async (visit) => {
    const code = visit.form.values.text('code') || (visit.url.searchParams.get('code') ?? '')
    if (visit.viewer === null) throw new Refusal('unauthenticated', t('Sign in first.'))
    if (code === '') return { code, asked: null, problem: null }
    try {
      return { code, asked: await visit.call(getDeviceRequest, { code }), problem: null }
    } catch (error) {
      if (error instanceof Refusal && error.field === 'code')
        return { code, asked: null, problem: error.message }
      throw error
    }
  },
  view: ({ code, asked, problem }, visit) =>
    asked ? (
      <Decide visit={visit} asked={asked} />
    ) : (
      <Enter visit={visit} code={code} problem={problem} />
    ),
})

export const deviceForm = action({
  path: '/device',
  page: devicePage,
  submit: async (visit, fields) => {
    const decision = fields.text('decision') === 'approve' ? 'approve' : 'deny'
    const { client_name } = await visit.call(decideDevice, {
      code: fields.text('code'),
      decision,
      ...chosenScopes(fields),
    })
    return pageResponse(
      visit,
      <Done visit={visit} name={client_name} approved={decision === 'approve'} />,
    )
  },
})
