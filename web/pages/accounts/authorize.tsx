// The consent page of OAuth (RFC 6749 section 4.1.1), where a user grants an application access.
// The page cannot be framed, and its form may lead only to the redirect address of the application.
import {
  authorizationParameters,
  decideAuthorization,
  getAuthorization,
  type AuthorizationParameters,
} from '#features/oauth/index.ts'
import { Refusal } from '#lib/errors.ts'
import { contentSecurityPolicy } from '../../assets.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Card, Facts } from '../../components/card.tsx'
import { Notice } from '../../components/flash.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { renderPage, type Html } from '../../jsx/html.ts'
import { action, DirectResponse, page, type Fields, type Visit } from '../../site.ts'
import { formError, Shell } from '../shell.tsx'
import { chosenScopes, ScopeChoice } from './scope-choice.tsx'
import { rich, t } from '../../text.ts'

const NAMES = Object.keys(authorizationParameters) as (keyof AuthorizationParameters)[]

/**
 * The parameters of the address. A repeated one is refused, because two readers could see two
 * requests (RFC 6749 section 3.1).
 */
function fromAddress({ searchParams }: URL): AuthorizationParameters {
  const parameters: AuthorizationParameters = {}
  for (const name of NAMES) {
    const [value, ...others] = searchParams.getAll(name)
    if (others.length > 0)
      throw new Refusal('bad_request', t('The request holds {name} twice.', { name }))
    if (value) parameters[name] = value
  }
  return parameters
}

const fromForm = (fields: Fields): AuthorizationParameters =>
  Object.fromEntries(
    NAMES.flatMap((name) => (fields.text(name) === '' ? [] : [[name, fields.text(name)]])),
  )

const parametersOf = ({ url, form }: Visit): AuthorizationParameters =>
  form.values.has('client_id') ? fromForm(form.values) : fromAddress(url)

/**
 * Sources for `form-action`. The redirect address may redirect further (a local program to a web
 * page), and browsers check the whole chain.
 */
function formTargets(redirect_uri: string, loopback: boolean): string {
  const { protocol, hostname } = new URL(redirect_uri)
  // The grammar of the policy has no IPv6 addresses.
  const local = hostname === '[::1]' ? ['http:'] : ['http://localhost:*', 'http://127.0.0.1:*']
  return ["'self'", 'https:', ...(loopback ? local : protocol === 'https:' ? [] : [protocol])].join(
    ' ',
  )
}

const answer = (visit: Visit, html: Html, status: number, targets: string): DirectResponse =>
  new DirectResponse(
    new Response(renderPage(html), {
      status,
      headers: {
        ...visit.headers,
        'content-security-policy': `${contentSecurityPolicy}; form-action ${targets}`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        // An application in a browser opens this page in a window of its own and waits for it.
        'cross-origin-opener-policy': 'unsafe-none',
      },
    }),
  )

const leave = (location: string): DirectResponse =>
  new DirectResponse(
    new Response(null, {
      status: 303,
      headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    }),
  )

type AuthorizationRequest = {
  name: string
  url: string | null
  host: string
  redirect_uri: string
  loopback: boolean
  scopes: string[] | null
  resource: string | null
}

const ClientFacts = ({ asked }: { asked: AuthorizationRequest }) => (
  <Facts
    facts={[
      { label: t('Name'), value: <strong>{asked.name}</strong> },
      ...(asked.url === null
        ? []
        : [{ label: t('Described at'), value: <code>{asked.url}</code> }]),
      {
        label: t('Access goes to'),
        value: (
          <strong class="mono" id="redirect-host">
            {asked.host}
          </strong>
        ),
      },
    ]}
  />
)

const Consent = ({
  visit,
  asked,
  parameters,
}: {
  visit: Visit
  asked: AuthorizationRequest
  parameters: AuthorizationParameters
}): Html => (
  <Shell visit={visit} title={t('Authorize {name}?', { name: asked.name })} width="narrow" noindex>
    <PageHead
      title={t('Authorize {name}?', { name: asked.name })}
      lead={t('It asks for access to your account {username}.', {
        username: visit.viewer?.username ?? '',
      })}
    />
    <Card>
      <Form action="/oauth/authorize" csrf={visit.csrf} error={formError(visit, 'scopes')}>
        {NAMES.map((name) =>
          parameters[name] === undefined ? null : (
            <input type="hidden" name={name} value={parameters[name]} />
          ),
        )}
        <ClientFacts asked={asked} />
        {asked.loopback ? (
          <Notice kind="wait" title={t('Access goes to a program on this computer')}>
            {t(
              'Anything that runs here can ask like this. Continue only if you started it a moment ago yourself.',
            )}
          </Notice>
        ) : (
          asked.url === null && (
            <p class="muted small">
              {rich('Anyone can take a name. Continue only if you trust {host}.', {
                host: asked.host,
              })}
            </p>
          )
        )}
        <ScopeChoice visit={visit} asked={asked.scopes} />
        <FormActions>
          <Button variant="primary" name="decision" value="approve">
            {t('Approve')}
          </Button>
          <Button name="decision" value="deny">
            {t('Deny')}
          </Button>
        </FormActions>
        <p class="muted small">
          {rich('You can revoke access at any time under <a>Applications</a>.', {
            a: (inner) => <a href="/settings/applications">{inner}</a>,
          })}
        </p>
      </Form>
    </Card>
  </Shell>
)

const Problem = ({
  visit,
  name,
  host,
  message,
  href,
}: {
  visit: Visit
  name: string
  host: string
  message: string
  href: string
}): Html => (
  <Shell visit={visit} title={t('This request cannot be granted')} width="narrow" noindex>
    <PageHead
      title={t('This request cannot be granted')}
      lead={t('{name} asked for something that does not work here: {message}.', { name, message })}
    />
    <LinkButton href={href} rel="noreferrer">
      {t('Go back to {host}', { host })}
    </LinkButton>
  </Shell>
)

export const authorizePage = page({
  path: '/oauth/authorize',
  load: async (visit) => {
    const parameters = parametersOf(visit)
    const asked = await visit.call(getAuthorization, parameters)
    const { problem } = asked
    if (problem?.at_once) return leave(problem.redirect_to)
    if (problem)
      return answer(
        visit,
        <Problem
          visit={visit}
          name={asked.name}
          host={asked.host}
          message={problem.message}
          href={problem.redirect_to}
        />,
        400,
        "'self'",
      )
    const shown = <Consent visit={visit} asked={asked} parameters={parameters} />
    return answer(
      visit,
      shown,
      visit.form.error === null ? 200 : 422,
      formTargets(asked.redirect_uri, asked.loopback),
    )
  },
  // Every response is built by hand, for its headers.
  view: () => <></>,
})

export const authorizeForm = action({
  path: '/oauth/authorize',
  page: authorizePage,
  submit: async (visit, fields) => {
    const { redirect_to } = await visit.call(decideAuthorization, {
      ...fromForm(fields),
      decision: fields.text('decision') === 'approve' ? 'approve' : 'deny',
      ...chosenScopes(fields),
    })
    return leave(redirect_to)
  },
})
