import { HttpError } from "@tenon/core";

/** The password is right, and the user has a second factor: 401 until a code is given. */
export class SecondFactorRequired extends HttpError {
  override readonly name = "SecondFactorRequired";
  /** For `SecondFactor.suspend()`. No response contains it. */
  readonly userId: string;

  constructor(userId: string) {
    super(401, "Second factor required");
    this.userId = userId;
  }
}
