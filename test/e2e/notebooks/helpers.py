"""Functions of sales.ipynb."""

import pandas as pd


def monthly(sales: pd.DataFrame) -> pd.DataFrame:
    """Revenue by month and region."""
    revenue = sales.assign(revenue=sales["units"] * sales["price"], month=sales["date"].dt.to_period("M").astype(str))
    return revenue.pivot_table(index="month", columns="region", values="revenue", aggfunc="sum")


def best_region(table: pd.DataFrame) -> str:
    """The region with the highest revenue."""
    return table.sum().idxmax()
