/** Names of fields that may hold a secret: their values are neither logged nor shown again in a form. */
export const secretNames = `
  authorization Authorization Proxy-Authorization cookie cookies Set-Cookie SET_COOKIE x-api-key apiKey API_KEY
  password Password newPassword new_password password_confirmation passwordConfirmation user[password] pass-word
  passwordHash passwd pwd db_pwd pwd_again passphrase token accessToken refresh_token token_value X-CSRF-Token
  _csrf csrf_field tokens secret JWT_SECRET clientSecret privateKey private_key private-key-pem credentials
  session_id sessionId session-ids otp otpCode one_time_otp OTPValue totp otp1 pin PIN userPin user_pin cardPIN
  card[pin] passcode recovery_codes backupCode qr qrCode passcodeAgain jwt idJwt cvv cvv2 card_cvv signature
  X-Hub-Signature-256 sid connect.sid X-SID x-tenon-dev tenon-dev-8080
`
  .trim()
  .split(/\s+/);

/** Names that only look like a secret. */
export const plainNames = `
  tokenizer tokenized cookieless cookie_banner keys author session_name id shipping shippingAddress pinned
  pinnedAt is_pinned spin opinion PINNED ping footprint adoption inside side residents sign assigned passport
  country_code postalCode square
`
  .trim()
  .split(/\s+/);
