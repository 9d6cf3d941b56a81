// Lets a person push a secret that push protection refused, with the reason.
import { getRepo, type Repo } from '#features/repos/index.ts'
import { BYPASS_REASONS, bypassPushProtection, getBypassOffer } from '#features/security/index.ts'
import {
  Button,
  Card,
  Facts,
  FieldSet,
  Form,
  FormActions,
  LinkButton,
  PageHead,
  Radio,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { repoPath } from '../../paths.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { formError } from '../shell.tsx'
import { BYPASS_REASON_LABELS, secretsPath, titleOfLabel } from './secret-labels.ts'

type Shown = {
  readonly repo: Repo
  readonly placeholder: string
  readonly offer: { readonly type: string; readonly label: string; readonly preview: string }
}

const BypassView = ({ visit, repo, placeholder, offer }: Shown & { visit: Visit }): Html => (
  <RepoFrame
    visit={visit}
    repo={repo}
    title={t('Bypass push protection')}
    current="security"
    width="narrow"
    noindex
  >
    <PageHead
      title={t('Bypass push protection')}
      lead={t(
        'Your push was refused because it adds a secret. The better way is to take it out of the commits and to push again.',
      )}
    />
    <Card>
      <Facts
        facts={[
          { label: t('Kind'), value: titleOfLabel(offer.label) },
          { label: t('Begins and ends with'), value: <code>{offer.preview}</code> },
        ]}
      />
      <Form
        action={secretsPath(repo.full_name, '/bypass')}
        csrf={visit.csrf}
        error={formError(visit)}
      >
        <input type="hidden" name="placeholder" value={placeholder} />
        <FieldSet legend={t('Why push it anyway?')}>
          {BYPASS_REASONS.map((reason) => (
            <Radio
              name="reason"
              value={reason}
              label={BYPASS_REASON_LABELS[reason]}
              checked={visit.form.values.text('reason') === reason || reason === 'false_positive'}
            />
          ))}
        </FieldSet>
        <p class="muted small">
          {t(
            'For three hours you can push this secret to this repository. An alert is opened, and the audit log says who bypassed and why.',
          )}
        </p>
        <FormActions>
          <Button variant="danger">{t('Bypass push protection')}</Button>
          <LinkButton href={repoPath(repo.full_name)}>{t('Cancel')}</LinkButton>
        </FormActions>
      </Form>
    </Card>
  </RepoFrame>
)

export const bypassPage = page({
  path: '/:workspace/:repo/security/secrets/bypass',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const placeholder = (
      visit.url.searchParams.get('placeholder') ?? visit.form.values.text('placeholder')
    ).slice(0, 1200)
    const offer = await visit.call(getBypassOffer, { repo: repo.full_name, placeholder })
    return { repo, placeholder, offer }
  },
  view: (shown, visit) => <BypassView visit={visit} {...shown} />,
})

export const bypassForm = action({
  path: '/:workspace/:repo/security/secrets/bypass',
  page: bypassPage,
  submit: async (visit, fields) => {
    await visit.call(bypassPushProtection, {
      repo: repoOf(visit),
      placeholder: fields.text('placeholder'),
      reason: BYPASS_REASONS.find((one) => one === fields.text('reason')) ?? 'will_fix_later',
    })
    return redirectWithFlash(visit, repoPath(repoOf(visit)), 'push-protection-bypassed')
  },
})
