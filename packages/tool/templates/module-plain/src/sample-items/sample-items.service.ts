export class SampleItemsService {
  describe() {
    return { message: "sample items: ready" };
  }
}
