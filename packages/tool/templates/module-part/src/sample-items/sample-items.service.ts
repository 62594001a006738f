export class SampleItemsService {
  describe(): string {
    return "sample items: ready";
  }
}
