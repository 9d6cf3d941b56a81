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
  <Shell visit={visit} title="Sign a device in" width="narrow" noindex>
    <PageHead title="Sign a device in" lead="Type the code that your device or terminal shows." />
    <Card>
      <Form action="/device" method="get">
        <Field
          name="code"
          label="Code"
          required
          autofocus
          mono
          autocomplete="off"
          maxlength={20}
          placeholder="XXXX-XXXX"
          value={code}
          error={problem}
        />
        <FormActions>
          <Button variant="primary">Go on</Button>
        </FormActions>
      </Form>
    </Card>
  </Shell>
)

const Decide = ({ visit, asked }: { visit: Visit; asked: DeviceRequest }): Html => (
  <Shell visit={visit} title={`Let ${asked.client_name} in?`} width="narrow" noindex>
    <PageHead
      title={`Let ${asked.client_name} in?`}
      lead={`It asks for access to your account ${visit.viewer?.username ?? ''}.`}
    />
    <Card>
      <Form action="/device" csrf={visit.csrf} error={formError(visit, 'scopes')}>
        <input type="hidden" name="code" value={asked.code} />
        <Facts
          facts={[
            { label: 'It calls itself', value: <strong>{asked.client_name}</strong> },
            {
              label: 'It shows the code',
              value: (
                <strong class="mono" id="user-code">
                  {asked.code}
                </strong>
              ),
            },
            {
              label: 'Asked from',
              value: <span class="mono">{asked.ip ?? 'an unknown address'}</span>,
            },
            ...(asked.user_agent === null
              ? []
              : [{ label: 'With', value: <span class="mono">{asked.user_agent}</span> }]),
            { label: 'Asked', value: <RelativeTime at={asked.created_at} /> },
          ]}
        />
        <Notice kind="wait" title="Compare the code">
          Go on only if you started this yourself and your device shows the same code. Nobody who is
          honest sends you a code to approve.
        </Notice>
        <ScopeChoice visit={visit} asked={asked.scopes} />
        <FormActions>
          <Button variant="primary" name="decision" value="approve">
            Approve
          </Button>
          <Button name="decision" value="deny">
            Deny
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
    title={approved ? 'The device is signed in' : 'The device stays out'}
    width="narrow"
    noindex
  >
    <PageHead
      title={approved ? 'The device is signed in' : 'The device stays out'}
      lead={
        approved
          ? `${name} goes on by itself in a moment. You can close this page.`
          : `${name} gets no access. You can close this page.`
      }
    />
    {approved && (
      <p class="muted">
        Its token is among your <a href="/settings/tokens">access tokens</a>, where you can revoke
        it.
      </p>
    )}
  </Shell>
)

export const devicePage = page({
  path: '/device',
  load: async (visit) => {
    const code = visit.form.values.text('code') || (visit.url.searchParams.get('code') ?? '')
    if (visit.viewer === null) throw new Refusal('unauthenticated', 'Sign in first.')
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
