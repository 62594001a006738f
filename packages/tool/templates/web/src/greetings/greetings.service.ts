export class GreetingsService {
  greet(name: string): string {
    return `Hello, ${name}!`;
  }
}
