"""The page of fused forms agrees with the rewrites."""

from exporters.onnx.fusion import FAMILIES
from tests import fusion, fusion_page


def test_the_page_is_fresh():
    assert fusion_page.PAGE.read_text() == fusion_page.page()


def test_every_family_has_samples_of_its_name():
    families = {module.__name__.rpartition(".")[2] for module in FAMILIES}
    assert families == {module.__name__.rpartition(".")[2] for module in fusion.FAMILIES}
