import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { FormActions } from '../../components/form.tsx'
import type { Html } from '../../jsx/html.ts'
import { pageResponse, type FormResult, type Visit } from '../../site.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { t } from '../../text.ts'

/** Responds to the form with a page, because the codes are shown once and not stored. */
const CodesView = ({ visit, codes }: { visit: Visit; codes: readonly string[] }): Html => (
  <SettingsFrame
    visit={visit}
    title={t('Recovery codes')}
    current="security"
    lead={t('Save them in your password manager. They are not shown again.')}
  >
    <Card>
      <p>{t('When your second factor is lost, each of these signs you in once in its place.')}</p>
      <pre
        class="codes"
        id="recovery-codes"
        tabindex="0"
        role="group"
        aria-label={t('Recovery codes')}
      >
        {codes.join('\n')}
      </pre>
      <FormActions>
        <Button copyFrom="recovery-codes" icon="copy">
          {t('Copy codes')}
        </Button>
        <a href="/settings/security">{t('I have saved these codes')}</a>
      </FormActions>
    </Card>
  </SettingsFrame>
)

/** Shows the codes if there are any, else redirects. */
export const showCodes = (
  visit: Visit,
  codes: readonly string[] | null,
  otherwise: () => FormResult,
): FormResult =>
  codes === null ? otherwise() : pageResponse(visit, <CodesView visit={visit} codes={codes} />)
