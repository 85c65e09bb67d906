/** A fault that the operator can repair. Its message is the problem and the advice; `doctor` reports it under `check`. */
export class AdvisedError extends Error {
  override readonly name = "AdvisedError";
  readonly check: "secret key" | "schema";
  readonly problem: string;
  readonly advice: string;

  constructor(check: AdvisedError["check"], problem: string, advice: string) {
    super(`${problem}; ${advice}`);
    this.check = check;
    this.problem = problem;
    this.advice = advice;
  }
}
