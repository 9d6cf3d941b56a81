/** The operations of people's own affairs and of site administrators, as one list. */
import type { Operation } from '#core/operation.ts'
import { addEmail } from './add-email.ts'
import { addPasskey } from './add-passkey.ts'
import { disableTwoFactor } from './disable-two-factor.ts'
import { enableTwoFactor } from './enable-two-factor.ts'
import { endOtherSignIns } from './end-other-sign-ins.ts'
import { endSignIn } from './end-sign-in.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { getEmailSettings } from './get-email-settings.ts'
import { getPendingSignIn } from './get-pending-sign-in.ts'
import { getSecurity } from './get-security.ts'
import { getTwoFactorSetup } from './get-two-factor-setup.ts'
import { listSignIns } from './list-sign-ins.ts'
import { listUsers } from './list-users.ts'
import { removeEmail } from './remove-email.ts'
import { unlinkIdentity as removeIdentity } from './remove-identity.ts'
import { removePasskey } from './remove-passkey.ts'
import { renewRecoveryCodes } from './renew-recovery-codes.ts'
import { resetTwoFactor } from './reset-two-factor.ts'
import { changeOwnPassword } from './set-password.ts'
import { signInWithPasskey } from './sign-in-with-passkey.ts'
import { startPasskeySignIn } from './start-passkey-sign-in.ts'
import { startPasskey } from './start-passkey.ts'
import { startTwoFactor } from './start-two-factor.ts'
import { suspendUser } from './suspend-user.ts'
import { unsuspendUser } from './unsuspend-user.ts'
import { updateEmailSettings } from './update-email-settings.ts'

export {
  addEmail,
  addPasskey,
  changeOwnPassword,
  disableTwoFactor,
  enableTwoFactor,
  endOtherSignIns,
  endSignIn,
  finishSignIn,
  getEmailSettings,
  getPendingSignIn,
  getSecurity,
  getTwoFactorSetup,
  listSignIns,
  listUsers,
  removeEmail,
  removeIdentity,
  removePasskey,
  renewRecoveryCodes,
  resetTwoFactor,
  signInWithPasskey,
  startPasskey,
  startPasskeySignIn,
  startTwoFactor,
  suspendUser,
  unsuspendUser,
  updateEmailSettings,
}

export const peopleOperations: readonly Operation[] = [
  addEmail,
  removeEmail,
  updateEmailSettings,
  listSignIns,
  endSignIn,
  listUsers,
  suspendUser,
  unsuspendUser,
  getEmailSettings,
  getSecurity,
  changeOwnPassword,
  endOtherSignIns,
  startTwoFactor,
  getTwoFactorSetup,
  enableTwoFactor,
  disableTwoFactor,
  renewRecoveryCodes,
  startPasskey,
  addPasskey,
  removePasskey,
  removeIdentity,
  getPendingSignIn,
  finishSignIn,
  startPasskeySignIn,
  signInWithPasskey,
  resetTwoFactor,
]
