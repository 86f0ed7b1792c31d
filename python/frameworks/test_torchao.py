"""Scale factors as torchao lays them out for cuBLAS. Not part of ./test."""

import numpy as np
import pytest
import stridewise as sw
import torch
from torchao.prototype.mx_formats.utils import to_blocked


@pytest.mark.parametrize("shape", [(128, 4), (256, 8), (130, 5), (1, 1), (300, 64)])
def test_to_blocked(shape):
    x = torch.randint(0, 255, shape, dtype=torch.uint8)
    ours = sw.convert(x, "m k", "m/128 k/4 m%32 m%128/32 k%4")
    assert isinstance(ours, torch.Tensor)
    np.testing.assert_array_equal(ours.flatten().numpy(),
                                  to_blocked(x).flatten().view(torch.uint8).numpy())
