import { raw } from '../../jsx/html.ts'
import { checkOutbound, getSiteStatus, sendTestMail } from '#features/site/index.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/flash.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { pageResponse, page, type Form as SiteForm, type Page, type Visit } from '../../site.ts'
import { AdminFrame } from './frame.tsx'
import { translateMessage } from '../../messages.ts'
import { rich, t } from '../../text.ts'

const PATH = '/admin/mail'

type TestResult = {
  readonly of: 'mail' | 'outbound'
  readonly isOk: boolean
  readonly detail: string
}

const view = (detail: string, visit: Visit, tried: TestResult | null = null) => {
  const error = (field: string) =>
    visit.form.error?.field === field ? visit.form.error.message : undefined
  const Result = ({ of }: { of: TestResult['of'] }) =>
    tried?.of === of ? (
      <Notice kind={tried.isOk ? 'good' : 'bad'}>{translateMessage(tried.detail)}</Notice>
    ) : (
      raw('')
    )
  return (
    <AdminFrame
      visit={visit}
      title={t('Mail and network')}
      lead={t('Check that mail is sent and that other hosts can be reached.')}
    >
      <Card title={t('Send a test message')}>
        <p class="muted">{translateMessage(detail)}</p>
        <Result of="mail" />
        <Form action={PATH} csrf={visit.csrf} label={t('Send a test message')}>
          <Field
            name="to"
            label={t('To')}
            type="email"
            required
            value={visit.form.values.text('to')}
            error={error('to')}
          />
          <FormActions>
            <Button variant="primary">{t('Send test message')}</Button>
          </FormActions>
        </Form>
      </Card>
      <Card title={t('Test a connection')}>
        <p class="muted">
          {rich(
            'Connects as webhooks, imports and mirrors do: to public addresses over https, and to what {code} names.',
            { code: <code>outbound.allow</code> },
          )}
        </p>
        <Result of="outbound" />
        <Form action={`${PATH}/outbound`} csrf={visit.csrf} label={t('Test a connection')}>
          <Field
            name="url"
            label={t('Address')}
            type="url"
            required
            value={visit.form.values.text('url')}
            error={error('url')}
            placeholder={t('https://example.com/')}
          />
          <FormActions>
            <Button>{t('Test connection')}</Button>
          </FormActions>
        </Form>
      </Card>
    </AdminFrame>
  )
}

const mailDetail = async (visit: Visit): Promise<string> =>
  (await visit.call(getSiteStatus, {})).conditions.find(({ name }) => name === 'mail')?.detail ?? ''

export const mailPage: Page = page({
  path: PATH,
  load: mailDetail,
  view: (detail, visit) => view(detail, visit),
})

/**
 * The result is shown on the page itself, because it is longer than a flash message and may contain
 * the answer of a server.
 */
const trying = (
  path: string,
  attempt: (visit: Visit, text: (name: string) => string) => Promise<TestResult>,
): SiteForm => ({
  path,
  page: mailPage,
  allowsAnonymous: false,
  isAuthorizedByAddress: false,
  async submit(visit, fields) {
    const tried = await attempt(visit, (name) => fields.text(name).trim())
    const shown = { ...visit, form: { values: fields, error: null } }
    return pageResponse(visit, view(await mailDetail(visit), shown, tried), {
      status: tried.isOk ? 200 : 422,
    })
  },
})

export const mailForms = [
  trying(PATH, async (visit, text) => {
    const { sent, detail } = await visit.call(sendTestMail, { to: text('to') })
    return { of: 'mail', isOk: sent, detail }
  }),
  trying(`${PATH}/outbound`, async (visit, text) => {
    const { reached, detail } = await visit.call(checkOutbound, { url: text('url') })
    return { of: 'outbound', isOk: reached, detail }
  }),
]
