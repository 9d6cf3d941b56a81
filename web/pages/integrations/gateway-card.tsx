// Whether programs outside may call the models of a workspace.
import type { ModelGateway } from '#features/models/index.ts'
import {
  Button,
  Card,
  Checkbox,
  CopyField,
  Field,
  Form,
  FormActions,
} from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import type { Visit } from '../../site.ts'
import { rich, t } from '../../text.ts'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { gatewayPath } from './owner.tsx'

const BUDGET = 'max_usd_per_day'

/** What clients are given, once the gateway is on. */
const Addresses = ({ url }: { url: string }) => (
  <>
    <CopyField id="gateway-openai" label={t('Address for clients of OpenAI')} value={url} />
    <CopyField
      id="gateway-anthropic"
      label={t('Address for clients of Anthropic')}
      value={url.replace(/\/v1$/, '')}
    />
    <p class="muted small">
      {rich('<a>The model gateway</a> in the guide has the lines for known clients.', {
        a: (inner) => <a href="/docs/agents#user-content-the-model-gateway">{inner}</a>,
      })}
    </p>
  </>
)

export const GatewayCard = ({
  visit: wholeVisit,
  slug,
  gateway,
}: {
  visit: Visit
  slug: string
  gateway: ModelGateway
}) => {
  const visit = visitForForm(wholeVisit, gatewayPath(slug))
  const { values } = visit.form
  const typed = values.has(BUDGET)
  const budget = gateway.max_usd_per_day
  return (
    <Card title={t('External programs')} id="gateway">
      <p class="muted">
        {rich(
          'Lets agents and scripts of your own use these models with a token of this site, in the interfaces of OpenAI and Anthropic. The token needs the scope {scope}.',
          { scope: <code>models:use</code> },
        )}
      </p>
      <Form action={gatewayPath(slug)} csrf={visit.csrf} error={formError(visit, BUDGET)}>
        <Checkbox
          name="enabled"
          label={t('Allow external programs')}
          checked={typed ? values.ticked('enabled') : gateway.enabled}
        />
        <Field
          name={BUDGET}
          label={t('Budget a day for all of them, in US dollars')}
          inputmode="decimal"
          hint={t('No limit of its own when empty. Spent today: {cost}.', {
            cost: formatCost(gateway.spent_usd_today),
          })}
          value={typed ? values.text(BUDGET) : String(budget ?? '')}
          error={fieldError(visit, BUDGET)}
        />
        <FormActions>
          <Button>{t('Save')}</Button>
        </FormActions>
      </Form>
      {gateway.enabled && <Addresses url={gateway.url} />}
    </Card>
  )
}
